import { userInfo } from "node:os";
import { findChromium } from "../test/support/find-chromium.ts";

/** Debian's package where we may install it; elsewhere the error of `findChromium` tells what to do. */
export async function ensureChromium(): Promise<void> {
  try {
    findChromium();
  } catch (missing) {
    if (userInfo().uid !== 0 || !Bun.which("apt-get")) throw missing;
    await aptGet("update");
    await aptGet("install", "-y", "chromium");
    findChromium();
  }
}

async function aptGet(...command: string[]): Promise<void> {
  const process = Bun.spawn(["apt-get", ...command], {
    env: { ...Bun.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exitCode = await process.exited;
  if (exitCode !== 0) throw new Error(`apt-get ${command.join(" ")} ended with ${exitCode}. Install chromium by hand.`);
}
