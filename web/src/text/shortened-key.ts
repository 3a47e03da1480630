// Shortens API keys that were pasted into search fields, so that only their last four characters leave the page.

const keyPattern = /^(?:sk_(?:live|test)_[0-9A-Za-z]{46}|(?:sk_(?:live|test)_)?(?:…|\.{3})[0-9A-Za-z]{4})$/u;

export function shortenedKey(text: string): string {
  const typed = text.trim();
  return keyPattern.test(typed) ? typed.slice(-4) : text;
}

export function isLastFour(text: string): boolean {
  return /^[0-9A-Za-z]{4}$/.test(text);
}
