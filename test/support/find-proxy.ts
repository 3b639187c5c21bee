import { findProgram } from "./find-program.ts";

/** Proxies that the tests put in front of the server, as operators do. */
export const proxies = ["nginx", "haproxy", "caddy"] as const;

export function findProxy(name: (typeof proxies)[number]): string {
  return findProgram(name);
}
