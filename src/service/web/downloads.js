// Downloads: volume and mesh as the service writes them, and a picture of the view.

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export async function saveVolume(api, inputs, name, format) {
  const response = await api.run('density', { ...inputs, format }, 'volume');
  save(await response.blob(), `${name}.${format}`);
}

/// Saves the surface around a share of the mass.
export async function saveMesh(api, volume, mass, name, format) {
  const response = await api.run('iso', { volume: volume.job, mass: String(mass), format }, 'mesh');
  save(await response.blob(), `${name}-${Number((mass * 100).toPrecision(4))}.${format}`);
}

export async function savePicture(scene, overlay, name) {
  scene.drawWhole();  // a drawing can be read until the browser has shown it
  const canvas = new OffscreenCanvas(overlay.width, overlay.height);
  const pen = canvas.getContext('2d');
  pen.fillStyle = getComputedStyle(overlay.parentElement).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(scene.canvas, 0, 0);
  pen.drawImage(overlay, 0, 0);
  save(await canvas.convertToBlob({ type: 'image/png' }), `${name}.png`);
}
