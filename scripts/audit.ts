/**
 * `bun scripts/audit.ts`: fails if a package in releases has a known vulnerability that is at least moderate. `npm audit --omit=dev` would
 * omit packages that are bundled or copied, which are development dependencies.
 */
import { join } from "node:path";
import { type ThirdPartyPackage, thirdPartyPackages } from "./third-party.ts";

/** The part of the output of `npm audit --json` that is used. Without the member, npm could not audit. */
export interface AuditReport {
  vulnerabilities?: Record<string, Vulnerability>;
}

interface Vulnerability {
  severity: string;
  /** Advisories, and the names of vulnerable packages that it depends on. */
  via: (string | { title: string; url: string })[];
  /** Paths in the lock. */
  nodes: string[];
}

const ignoredSeverities = ["info", "low"];

/** Returns a line for each vulnerable package in releases. Throws if the report is not the result of an audit. */
export function shippedVulnerabilities({ vulnerabilities }: AuditReport, shipped: ThirdPartyPackage[]): string[] {
  if (vulnerabilities === undefined) throw new Error("npm could not audit the packages.");
  const found = Object.values(vulnerabilities).filter(({ severity }) => !ignoredSeverities.includes(severity));
  return found.flatMap(({ severity, via, nodes }) => {
    const reasons = via.map((one) => (typeof one === "string" ? `depends on ${one}` : `${one.title} (${one.url})`));
    return shipped
      .filter(({ path }) => nodes.includes(path))
      .map(({ name, version }) => `${name} ${version}, ${severity}: ${reasons.join("; ")}`);
  });
}

if (import.meta.main) {
  const audit = Bun.spawn(["npm", "audit", "--json"], {
    cwd: join(import.meta.dir, ".."),
    stdout: "pipe",
    stderr: "inherit",
  });
  const shipped = await thirdPartyPackages();
  const lines = shippedVulnerabilities(await audit.stdout.json(), shipped);
  for (const line of lines) console.error(line);
  console.log(
    `${lines.length} of ${shipped.length} packages in releases have a vulnerability that is at least moderate.`,
  );
  process.exit(lines.length === 0 ? 0 : 1);
}
