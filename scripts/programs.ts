import { checkerPackages, checkers, findChecker } from "../test/support/find-checker.ts";
import { findPatroni, patroniPackages } from "../test/support/find-patroni.ts";
import { findPebble, pebblePrograms } from "../test/support/find-pebble.ts";
import { findPgBouncer } from "../test/support/find-pgbouncer.ts";
import { findProgram } from "../test/support/find-program.ts";
import { findProxy, proxies } from "../test/support/find-proxy.ts";
import { findTomcat, tomcatPackages } from "../test/support/find-tomcat.ts";
import { findGo, findPython, otherLanguages } from "../test/support/other-languages.ts";
import { install } from "./apt-get.ts";
import { ensureChromium } from "./chromium.ts";
import { ensureNewerPgBouncer } from "./newer-pgbouncer.ts";

interface Programs {
  debianPackages: readonly string[];
  /** Throws if one of them is missing. */
  find(): void;
}

function named<Name extends string>(
  names: readonly Name[],
  find: (name: Name) => unknown,
  debianPackages: readonly string[] = names,
): Programs {
  return { debianPackages, find: () => names.forEach((name) => void find(name)) };
}

const pgBouncer = "test/support/find-pgbouncer.ts";

/** Programs that tests run, by the support file that uses them. */
const programsBySupport: Record<string, Programs> = {
  // A terminal emulator, and the shells whose completion is tested.
  "test/support/find-program.ts": named(["tmux", "bash", "zsh", "fish"], findProgram),
  "test/support/find-proxy.ts": named(proxies, findProxy),
  "test/support/find-checker.ts": named(checkers, findChecker, checkerPackages),
  [pgBouncer]: named(["pgbouncer"], findPgBouncer),
  "test/support/find-patroni.ts": { debianPackages: patroniPackages, find: findPatroni },
  "test/support/find-pebble.ts": named(pebblePrograms, findPebble, ["pebble"]),
  "test/support/find-tomcat.ts": { debianPackages: tomcatPackages, find: findTomcat },
  "test/support/pdf-text.ts": named(["pdftotext"], findProgram, ["poppler-utils"]),
  "test/support/certificates.ts": named(["openssl"], findProgram),
  "test/support/other-languages.ts": {
    debianPackages: otherLanguages,
    find: () => [findGo("go"), findGo("gofmt"), findPython()],
  },
};

/** Installs what is missing of the programs that these support files use. */
export async function ensurePrograms(supportFiles: ReadonlySet<string>): Promise<void> {
  if (supportFiles.has("test/support/find-chromium.ts")) await ensureChromium();
  const needed = Object.keys(programsBySupport).filter((file) => supportFiles.has(file));
  const missing = needed.flatMap((file) => {
    try {
      programsBySupport[file]!.find();
      return [];
    } catch (error) {
      return { file, error };
    }
  });
  if (missing.length > 0) {
    // At once: each call of apt-get takes seconds besides what it installs.
    const packages = missing.flatMap(({ file }) => programsBySupport[file]!.debianPackages);
    await install(packages, missing[0]!.error);
    for (const { file } of missing) programsBySupport[file]!.find();
  }
  if (supportFiles.has(pgBouncer)) await ensureNewerPgBouncer();
}
