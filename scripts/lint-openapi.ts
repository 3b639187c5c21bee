/**
 * `npm run lint:openapi`: checks /openapi.json with Spectral, in the release workflow. `npm test` checks it with Redocly, which
 * finds more and takes less time. Spectral is not a dependency: it would add 126 packages to each installation for development.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentsOfThisVersion } from "./openapi-documents.ts";

const version = "6.16.3";

const ruleset = {
  extends: ["spectral:oas"],
  rules: {
    // Each installation has its own operator: no contact applies to all of them.
    "info-contact": "off",
    // Redocly validates the same examples; here it takes half of the time of all rules.
    "oas3-valid-media-example": "off",
  },
};

const folder = await mkdtemp(join(tmpdir(), "tollgate-lint-"));
try {
  const { management } = await documentsOfThisVersion();
  await Bun.write(join(folder, "openapi.json"), JSON.stringify(management));
  await Bun.write(join(folder, "ruleset.json"), JSON.stringify(ruleset));
  const command = "lint openapi.json --ruleset=ruleset.json --fail-severity=hint";
  const linting = Bun.spawn(["npx", "--yes", `@stoplight/spectral-cli@${version}`, ...command.split(" ")], {
    cwd: folder,
    // One of its packages reports the installation to its vendor.
    env: { ...process.env, npm_config_ignore_scripts: "true", SCARF_ANALYTICS: "false" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  process.exitCode = await linting.exited;
} finally {
  await rm(folder, { recursive: true, force: true });
}
