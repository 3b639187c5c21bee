import { checkerPackages, checkers, findChecker } from "../test/support/find-checker.ts";
import { findPatroni, patroniPackages } from "../test/support/find-patroni.ts";
import { findPebble, pebblePrograms } from "../test/support/find-pebble.ts";
import { findPgBouncer } from "../test/support/find-pgbouncer.ts";
import { findProgram } from "../test/support/find-program.ts";
import { findProxy, proxies } from "../test/support/find-proxy.ts";
import { findTomcat, tomcatPackages } from "../test/support/find-tomcat.ts";
import { frameworksFolder } from "../test/support/frameworks.ts";
import { findGo, findPython, otherLanguages } from "../test/support/other-languages.ts";
import { install } from "./apt-get.ts";
import { ensureNewerPgBouncer } from "./newer-pgbouncer.ts";
import { installNpmFolder } from "./npm-folder.ts";

/** Programs that tests run, by the support file that uses them. */
export const programsBySupport: Record<string, () => Promise<void>> = {
  // A terminal emulator, and the shells whose completion is tested.
  "test/support/find-program.ts": () => ensure(["tmux", "bash", "zsh", "fish"], findProgram),
  "test/support/find-proxy.ts": () => ensure(proxies, findProxy),
  "test/support/find-checker.ts": () => ensure(checkers, findChecker, checkerPackages),
  "test/support/find-pgbouncer.ts": async () => {
    await ensure(["pgbouncer"], findPgBouncer);
    await ensureNewerPgBouncer();
  },
  "test/support/find-patroni.ts": () => ensure(["patroni"], findPatroni, patroniPackages),
  "test/support/find-pebble.ts": () => ensure(pebblePrograms, findPebble, ["pebble"]),
  "test/support/find-tomcat.ts": () => ensure(["tomcat"], () => findTomcat().java, tomcatPackages),
  "test/support/pdf-text.ts": () => ensure(["pdftotext"], findProgram, ["poppler-utils"]),
  "test/support/certificates.ts": () => ensure(["openssl"], findProgram),
  "test/support/other-languages.ts": () => ensureOtherLanguages(),
  "test/support/frameworks.ts": () => installNpmFolder(frameworksFolder),
};

async function ensureOtherLanguages(): Promise<void> {
  const findAll = () => [findGo("go"), findGo("gofmt"), findPython()];
  try {
    findAll();
  } catch (missing) {
    await install(otherLanguages, missing);
    findAll();
  }
}

/** Installs the Debian packages if one of the programs is missing. */
async function ensure<Name extends string>(
  names: readonly Name[],
  find: (name: Name) => unknown,
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
