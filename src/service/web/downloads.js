// Downloads: volume and mesh as the service writes them, and a picture of the view.

import { massesOf } from './scene.js';

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export async function saveVolume(api, inputs, name, format) {
  const response = await api.run('density', { ...inputs, format }, 'volume');
  save(await response.blob(), `${name}.${format}`);
}

/// Saves the surface of the current mode, or the one around half of the mass.
export async function saveMesh(api, volume, mode, name, format) {
  const [mass = 0.5] = massesOf(mode);
  const response = await api.run('iso', { volume: volume.job, mass: String(mass), format }, 'mesh');
  save(await response.blob(), `${name}-${Math.round(mass * 100)}.${format}`);
}

export async function savePicture(scene, overlay, name) {
  const shown = scene.renderWindow.captureImages('image/png')[0];
  scene.renderWindow.render();
  const image = await createImageBitmap(await blobOf(await shown));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  pen.drawImage(overlay, 0, 0, image.width, image.height);
  save(await canvas.convertToBlob({ type: 'image/png' }), `${name}.png`);
}

/// Does not use fetch, which the page's policy restricts to the service.
function blobOf(url) {
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: 'image/png' });
}
