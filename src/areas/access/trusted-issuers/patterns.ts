/** A pattern of claims: text in which each `*` stands for any characters. It matches the whole value. */
export function matchesPattern(pattern: string, value: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return value === pattern;
  const last = rest.pop()!;
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let position = first.length;
  for (const part of rest) {
    const found = value.indexOf(part, position);
    if (found === -1 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
}

/** A pattern without any other character would trust every user of the provider. */
export function isBare(pattern: string): boolean {
  return /^\**$/.test(pattern);
}
