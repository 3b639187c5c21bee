/** Returns the token of an `Authorization: Bearer` header. */
export function bearerToken(header: string | null): string | undefined {
  const [, token] = /^bearer +([^\s,]+) *$/i.exec(header ?? "") ?? [];
  return token;
}
