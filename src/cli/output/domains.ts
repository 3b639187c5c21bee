import { type Domain, type Tollgate, TollgateError } from "../../client/index.ts";
import { canonicalDomain } from "../../lib/network/domain-names.ts";
import { pause } from "../../lib/tasks/pause.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { printable, showResource } from "./show.ts";
import { pairs } from "./table.ts";

const pauseMs = 1_000;
/** The server looks up at most every five seconds; DNS changes are visible within a few minutes. */
const checkEveryMs = 10_000;
const patienceMs = 15 * 60_000;

type Domains = Tollgate["domains"];

/** Finds a domain by its id or its host. */
export async function findDomain(domains: Domains, idOrHost: string): Promise<Domain> {
  if (/^domn_/.test(idOrHost)) return domains.get(idOrHost);
  // Normalized as on the server: `bücher.example` is stored as `xn--bcher-kva.example`.
  const host = canonicalDomain(idOrHost);
  for await (const domain of domains.list()) if (domain.host === host) return domain;
  throw new TollgateError({ status: 404, code: "not_found", detail: `There is no domain ${printable(idOrHost)}.` });
}

/**
 * Waits until the domain is active and returns it, also after a timeout. Prints missing records whenever they change.
 */
export async function activeDomain(domains: Domains, domain: Domain, terminal: Terminal): Promise<Domain> {
  const until = performance.now() + patienceMs;
  let lastCheck = performance.now();
  let shown: string | undefined;
  let current = domain;
  while (current.status === "pending" && performance.now() < until) {
    if (current.message !== undefined && current.message !== shown) {
      shown = current.message;
      terminal.note(`Waiting: ${printable(shown)}`);
    }
    await pause(pauseMs);
    if (performance.now() - lastCheck < checkEveryMs) current = await domains.get(domain.id);
    else {
      lastCheck = performance.now();
      current = await domains.check(domain.id);
    }
  }
  return current;
}

/** The fields, and each record with its name and value on separate lines, so that they can be copied. */
export function showDomain(domain: Domain, terminal: Terminal): void {
  const { dns, certificate, message, mounts, ...fields } = domain;
  showResource(terminal, {
    ...fields,
    certificate: certificate ? `by ${certificate.issuer}, expires ${certificate.expiresOn}` : "none yet",
    message,
  });
  if (mounts) {
    terminal.print("\nMounts");
    terminal.print(
      pairs(
        terminal,
        mounts.map(({ path, deploymentName, stripPath }) => [
          `  ${printable(path)}`,
          `${printable(deploymentName)}${stripPath ? ", without the path" : ""}`,
        ]),
      ),
    );
  }
  for (const { type, name, value, isSeen } of dns) {
    const state = isSeen ? terminal.style("green", "found") : terminal.style("yellow", "not found yet");
    terminal.print(`\n${type} record: ${state}`);
    terminal.print(
      pairs(terminal, [
        ["  Name", printable(name)],
        ["  Value", printable(value)],
      ]),
    );
  }
  if (domain.status === "pending")
    terminal.note(
      "\nSet both records where the domain's DNS is managed. The TXT record proves that the host is yours; the CNAME\n" +
        "record leads requests here. Then: " +
        terminal.noteStyle("bold", `tollgate domains check ${domain.host} --wait`),
    );
}
