// The messages of the page: problems, and the current work with its progress and a button that
// cancels.

const byId = (id) => document.getElementById(id);

/// `onRemedy(input)`: the user took a value that the problem suggests, such as "regularize=0.01".
export function showProblem(error, onRemedy) {
  const advice = error.suggestion ? ` (${error.suggestion})` : '';
  byId('message-text').textContent = `${error.message}${advice}`;
  const values = onRemedy ? [...(error.suggestion || '').matchAll(/`([a-z_]+=[a-z0-9.]+)`/g)] : [];
  byId('message-remedies').replaceChildren(...values.map(([, text]) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
    button.addEventListener('click', () => onRemedy(text.replaceAll('_', '-')));
    return button;
  }));
  byId('message').hidden = false;
}

export function clearProblem() {
  byId('message').hidden = true;
}

/// `share`: 0 to 1; undefined if unknown.
export function showBusy(text, share) {
  byId('busy-text').textContent = text;
  if (share === undefined) byId('busy-share').removeAttribute('value');
  else byId('busy-share').value = share;
  byId('busy').hidden = false;
}

export function clearBusy() {
  byId('busy').hidden = true;
}

export function listenNotices(onCancel) {
  byId('message-close').addEventListener('click', clearProblem);
  byId('busy-cancel').addEventListener('click', onCancel);
}

/// Asks for the token if the address has none.
export function askToken() {
  byId('hint').hidden = true;
  byId('token-form').hidden = false;
  byId('token').focus();
  return new Promise((resolve) => byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    byId('token-form').hidden = true;
    byId('hint').hidden = false;
    resolve(byId('token').value.trim());
  }, { once: true }));
}
