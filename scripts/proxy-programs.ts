import { findProxy, proxies } from "../test/support/find-proxy.ts";
import { install } from "./apt-get.ts";

export async function ensureProxyPrograms(): Promise<void> {
  try {
    proxies.forEach(findProxy);
  } catch (missing) {
    await install([...proxies], missing);
    proxies.forEach(findProxy);
  }
}
