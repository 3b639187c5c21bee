import { findProgram } from "./find-program.ts";

/** Proxies that the tests put in front of the server, as operators do. */
export const proxies = ["nginx", "haproxy", "caddy"] as const;

export type ProxyName = (typeof proxies)[number];

export function findProxy(name: ProxyName): string {
  return findProgram(name);
}
