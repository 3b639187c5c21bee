import { isLoopbackHost } from "../../lib/network/hosts.ts";

/** Discovery appends a path to the issuer, so it has neither query nor fragment. */
export function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isProtected = protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
  return isProtected && username === "" && password === "" && !/[?#\s]/.test(value);
}

/** Whether an issuer of Entra ID is for the people of any organization: it names none, so that it cannot be compared. */
export function isMultiTenant(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  return hostname === "login.microsoftonline.com" && /^\/+(common|organizations|consumers)\b/i.test(pathname);
}
