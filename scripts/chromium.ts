import { findChromium, headlessShell } from "../test/support/find-chromium.ts";
import { install } from "./apt-get.ts";

/** Any Chromium runs the same tests; the headless shell, which some distributions do not have, runs them faster. */
export async function ensureChromium(): Promise<void> {
  if (process.env.CHROMIUM_PATH || Bun.which(headlessShell)) return;
  try {
    await install([headlessShell], new Error(`${headlessShell} is missing`));
  } catch {
    await ensureOther();
  }
}

async function ensureOther(): Promise<void> {
  try {
    findChromium();
  } catch (missing) {
    await install(["chromium"], missing);
    findChromium();
  }
}
