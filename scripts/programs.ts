import { findPebble, pebblePrograms } from "../test/support/find-pebble.ts";
import { findProgram } from "../test/support/find-program.ts";
import { findProxy, proxies } from "../test/support/find-proxy.ts";
import { install } from "./apt-get.ts";

/** Programs that tests run, by the file with which they reach them. */
export const programsBySupport: Record<string, () => Promise<void>> = {
  // A terminal to run the command line in, and the shells that it completes in.
  "test/support/find-program.ts": () => ensure(["tmux", "bash", "zsh", "fish"], findProgram),
  "test/support/find-proxy.ts": () => ensure(proxies, findProxy),
  "test/support/find-pebble.ts": () => ensure(pebblePrograms, findPebble, ["pebble"]),
  "test/support/certificates.ts": () => ensure(["openssl"], findProgram),
};

/** Installs Debian's packages where one of the programs is missing. */
async function ensure<Name extends string>(
  names: readonly Name[],
  find: (name: Name) => string,
  packages: readonly string[] = names,
): Promise<void> {
  const findAll = () => names.forEach((name) => void find(name));
  try {
    findAll();
  } catch (missing) {
    await install([...packages], missing);
    findAll();
  }
}
