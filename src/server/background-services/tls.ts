import { accountKey, StoredChallenges } from "../../areas/gateways/certificates/acme-account.ts";
import { AcmeDirectory } from "../../areas/gateways/certificates/acme-directory.ts";
import { CertificateIssuer } from "../../areas/gateways/certificates/issuer.ts";
import { StoredCertificates } from "../../areas/gateways/certificates/stored-certificates.ts";
import { liveProductionNames } from "../../areas/gateways/deployments/deployments.ts";
import type { AcmeConfig, TlsConfig } from "../../config/tls.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { hostnameOf } from "../../lib/network/hosts.ts";
import { Wakeable } from "../../lib/tasks/wakeable.ts";
import type { TlsOptions } from "../../platform/http1/server/tls-connection.ts";
import { CertificateFile, CertificateFileError } from "../../platform/tls/certificate-file.ts";
import { Certificates } from "../../platform/tls/certificates.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";

/** How often certificate files are checked. A file watcher would miss replaced symbolic links. */
const refreshSeconds = 1;
/** How often certificates that need renewal are ordered. */
const orderSeconds = 30;

interface TlsDependencies {
  keyring: Keyring;
  address: OwnAddress;
  /** The verified hosts of custom domains and the hosts of portals, read from storage. */
  customHosts(): Promise<string[]>;
}

export interface Tls {
  certificates: Certificates;
  options: TlsOptions;
  /** The response to an HTTP-01 challenge. */
  challenge(token: string): Promise<string | undefined>;
  /** Call it after the server listens: certificate authorities connect to it. */
  start(): Promise<void>;
}

/** Opens the certificates of the listeners. */
export function openTls(foundation: Foundation, config: TlsConfig, dependencies: TlsDependencies): Tls {
  const { storage, clock } = foundation;
  const { certificates, options } = openCertificates(foundation, config);
  const challenges = new StoredChallenges(storage, clock);
  const issuer = config.acme && openIssuer(foundation, config.acme, { ...dependencies, certificates, challenges });
  return {
    certificates,
    options,
    challenge: (token) => challenges.find(token),
    async start() {
      await issuer?.start();
    },
  };
}

/** Opens the certificates of a worker's listeners. The primary orders and renews them. */
export async function openWorkerTls(
  foundation: Foundation,
  config: TlsConfig,
  keyring: Keyring,
): Promise<Pick<Tls, "certificates" | "options">> {
  const opened = openCertificates(foundation, config);
  if (!config.acme) return opened;
  const { storage, log, lifecycle } = foundation;
  const stored = new StoredCertificates(storage, keyring, opened.certificates, (message, fields) =>
    log.warn(message, { ...fields }),
  );
  const syncing = new Wakeable(
    () => stored.sync(),
    (error) => log.warn("certificates could not be loaded; will retry", { error }),
  );
  const sync = () => syncing.wake();
  const kinds = { "certificate.issued": sync, "certificate.failed": sync, "certificate.deleted": sync };
  storage.feed.follow("certificates", kinds, sync);
  lifecycle.onClose("certificates", () => syncing.stop());
  lifecycle.every(orderSeconds, "certificates", async () => sync());
  await stored.sync();
  return opened;
}

function openCertificates(foundation: Foundation, config: TlsConfig): Pick<Tls, "certificates" | "options"> {
  const { log, metrics, lifecycle, clock } = foundation;
  const files = config.files.map((paths) => new CertificateFile(paths));
  const certificates = new Certificates(files, publicHostOf(foundation));
  metrics.certificates(() => certificates.all());
  lifecycle.every(refreshSeconds, "certificate files", async () =>
    certificates.refreshFiles(
      clock.now(),
      ({ names, notAfter }) => log.info("certificate loaded", { names, expiresOn: new Date(notAfter).toISOString() }),
      (error) =>
        log.warn("the certificate was not replaced: its files changed and cannot be used", {
          error: error instanceof CertificateFileError ? error.message : error,
        }),
    ),
  );
  return {
    certificates,
    options: {
      defaultContext: () => certificates.defaultContext(),
      contextOf: (name) => certificates.contextOf(name),
      onHandshake: (outcome) => metrics.handshake(outcome),
    },
  };
}

function openIssuer(
  foundation: Foundation,
  acme: AcmeConfig,
  {
    keyring,
    address,
    customHosts,
    certificates,
    challenges,
  }: TlsDependencies & {
    certificates: Certificates;
    challenges: StoredChallenges;
  },
): CertificateIssuer {
  const { storage, clock, log, lifecycle } = foundation;
  const directory = new AcmeDirectory({
    ...acme,
    clock,
    challenges,
    accountKey: () => accountKey(storage, keyring, acme.directory, clock.now()),
  });
  const wantedHosts = async () => {
    const deployments = (await liveProductionNames(storage.reads)).map((name) => hostnameOf(address.hostOf(name)));
    return [publicHostOf(foundation) ?? "", ...deployments, ...(await customHosts())];
  };
  const issuer = new CertificateIssuer({ storage, keyring, clock, log, directory, certificates, wantedHosts });
  lifecycle.onClose("certificates", () => issuer.stop());
  lifecycle.every(orderSeconds, "certificates", async () => issuer.wake());
  return issuer;
}

function publicHostOf({ config }: Foundation): string | undefined {
  return config.publicUrl && hostnameOf(new URL(config.publicUrl).host);
}
