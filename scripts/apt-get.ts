import { userInfo } from "node:os";

/** The lists of packages are downloaded once in a run. */
let updated: Promise<void> | undefined;

/** Installs Debian packages if the process is root; otherwise throws `missing`. */
export async function install(packages: string[], missing: unknown): Promise<void> {
  if (userInfo().uid !== 0 || !Bun.which("apt-get")) throw missing;
  updated ??= aptGet("update");
  await updated;
  await aptGet("install", "-y", ...packages);
}

async function aptGet(...command: string[]): Promise<void> {
  const process = Bun.spawn(["apt-get", ...command], {
    env: { ...Bun.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exitCode = await process.exited;
  if (exitCode !== 0) throw new Error(`apt-get ${command.join(" ")} ended with ${exitCode}. Install them by hand.`);
}
