export const permissionPattern = /^[A-Za-z0-9_.:*-]{1,64}$/;
export const permissionPatternText = "1 to 64 characters of A-Z, a-z, 0-9, _, ., :, * and -";

const star = 0x2a;

/** `orders:*` grants all permissions that begin with `orders:`. A star elsewhere is literal. */
export function grantsPermission(granted: string, permission: string): boolean {
  const last = granted.length - 1;
  if (granted.charCodeAt(last) !== star) return granted === permission;
  if (permission.length < last) return false;
  for (let at = 0; at < last; at++) if (granted.charCodeAt(at) !== permission.charCodeAt(at)) return false;
  return true;
}

/** Returns every permission that grants this one. */
export function grantsOf(permission: string): string[] {
  const prefixes = Array.from({ length: permission.length + 1 }, (_, end) => `${permission.slice(0, end)}*`);
  return [...new Set([permission, ...prefixes.filter((prefix) => permissionPattern.test(prefix))])];
}
