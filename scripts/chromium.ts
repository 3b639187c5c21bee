import { findChromium } from "../test/support/find-chromium.ts";
import { install } from "./apt-get.ts";

export async function ensureChromium(): Promise<void> {
  try {
    findChromium();
  } catch (missing) {
    await install(["chromium"], missing);
    findChromium();
  }
}
