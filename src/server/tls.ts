import { Certificates } from "../core/certificates/certificates.ts";
import { hostnameOf } from "../lib/hosts.ts";
import type { TlsOptions } from "../platform/http1/tls-connection.ts";
import { CertificateFile } from "../platform/tls/certificate-file.ts";
import type { Foundation } from "./foundation.ts";

/** How often files of certificates are looked at. Watching them would miss symbolic links that are replaced. */
const refreshSeconds = 1;

export interface Tls {
  certificates: Certificates;
  options: TlsOptions;
  /** The response to a challenge of HTTP-01. */
  challenge(token: string): Promise<string | undefined>;
}

/** The certificates of the listeners; undefined if they speak plain HTTP. */
export function openTls({ config, log, metrics, lifecycle }: Foundation): Tls | undefined {
  if (!config.tls) return undefined;
  const files = config.tls.files.map((paths) => new CertificateFile(paths));
  const publicHost = config.publicUrl && hostnameOf(new URL(config.publicUrl).host);
  const certificates = new Certificates(files, publicHost);
  metrics.certificates(() => certificates.all());
  lifecycle.every(refreshSeconds, "certificate files", async () =>
    certificates.refreshFiles(
      ({ names, notAfter }) => log.info("certificate loaded", { names, expiresOn: new Date(notAfter).toISOString() }),
      (error) => log.warn("the certificate was not replaced: its files changed and cannot be used", { error }),
    ),
  );
  const options: TlsOptions = {
    defaultContext: () => certificates.defaultContext(),
    contextOf: (name) => certificates.contextOf(name),
    onHandshake: (outcome) => metrics.handshake(outcome),
  };
  return { certificates, options, challenge: async () => undefined };
}
