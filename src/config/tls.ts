import { readFileSync } from "node:fs";
import { systemClock } from "../lib/time/clock.ts";
import { isCertifiable } from "../platform/tls/certifiable.ts";
import {
  CertificateFileError,
  type CertificatePaths,
  expired,
  notYetValid,
  readCertificate,
} from "../platform/tls/certificate-file.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** The TLS options of the listeners. */
export interface TlsConfig {
  /** The first certificate is for clients that send no name, or one without a certificate. */
  files: CertificatePaths[];
  acme: AcmeConfig | undefined;
}

/** The authority that issues certificates. */
export interface AcmeConfig {
  directory: string;
  email: string | undefined;
  /** PEM: verifies the directory's own certificate, instead of the default authorities. */
  authority: string | undefined;
}

const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory";

/** Returns undefined if the listeners speak plain HTTP. */
export function readTlsConfig(reader: EnvironmentReader): TlsConfig | undefined {
  const { given, errors } = reader;
  const files = readFiles(reader);
  const acme = readAcme(reader);
  const isOn = files.length > 0 || acme !== undefined;
  if (!isOn && given("TOLLGATE_HTTP_PORT") !== undefined)
    errors.push(
      "TOLLGATE_HTTP_PORT needs TLS, to which it redirects: set TOLLGATE_TLS_CERT and TOLLGATE_TLS_KEY, or TOLLGATE_ACME.",
    );
  if (acme && given("TOLLGATE_HTTP_PORT") === undefined)
    errors.push("TOLLGATE_ACME needs TOLLGATE_HTTP_PORT: the authority connects to port 80 of each name to verify it.");
  const publicHost = URL.parse(given("TOLLGATE_PUBLIC_URL") ?? "")?.hostname;
  if (acme && files.length === 0 && publicHost && !isCertifiable(publicHost))
    errors.push(
      `TOLLGATE_ACME orders certificates for public domain names: the host of TOLLGATE_PUBLIC_URL, ${publicHost}, is none.`,
    );
  if (!isOn) return undefined;
  for (const name of ["TOLLGATE_PUBLIC_URL", "TOLLGATE_GATEWAY_URL", "TOLLGATE_PORTAL_URL"])
    if (/^http:/i.test(given(name) ?? "")) errors.push(`${name} must begin with https:// if the server uses TLS.`);
  return { files, acme };
}

function readFiles(reader: EnvironmentReader): CertificatePaths[] {
  const certificates = reader.texts("TOLLGATE_TLS_CERT");
  const keys = reader.texts("TOLLGATE_TLS_KEY");
  if (certificates.length !== keys.length) {
    reader.errors.push(
      "TOLLGATE_TLS_CERT and TOLLGATE_TLS_KEY must name the same number of files, separated by commas, in the same order.",
    );
    return [];
  }
  const files = certificates.map((certificate, index) => ({ certificate, key: keys[index]! }));
  for (const paths of files) checkFiles(paths, reader.errors);
  return files;
}

function checkFiles(paths: CertificatePaths, errors: string[]): void {
  try {
    const certificate = readCertificate(paths);
    const now = systemClock.now();
    if (certificate.isExpired(now)) errors.push(`TOLLGATE_TLS_CERT: ${expired(paths, certificate).message}. Renew it.`);
    if (now < certificate.notBefore) errors.push(`TOLLGATE_TLS_CERT: ${notYetValid(paths, certificate).message}.`);
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error;
    for (const { part, message } of error.errors)
      errors.push(`${part === "key" ? "TOLLGATE_TLS_KEY" : "TOLLGATE_TLS_CERT"}: ${message}.`);
  }
}

function readAcme(reader: EnvironmentReader): AcmeConfig | undefined {
  if (reader.choice("TOLLGATE_ACME", ["on", "off"], "off") === "off") return undefined;
  const { given, errors } = reader;
  const directory = reader.url("TOLLGATE_ACME_DIRECTORY", ["https:"]) ?? letsEncrypt;
  const email = given("TOLLGATE_ACME_EMAIL");
  if (email !== undefined && !/^[^\s@,]+@[^\s@,]+$/.test(email))
    errors.push("TOLLGATE_ACME_EMAIL must be one email address.");
  if (given("TOLLGATE_PUBLIC_URL") === undefined)
    errors.push("TOLLGATE_ACME needs TOLLGATE_PUBLIC_URL: its host is the first that gets a certificate.");
  return { directory, email, authority: readAuthority(given("TOLLGATE_ACME_CA"), errors) };
}

function readAuthority(path: string | undefined, errors: string[]): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
    errors.push(`TOLLGATE_ACME_CA: ${path} contains no PEM certificate.`);
  } catch (error) {
    errors.push(`TOLLGATE_ACME_CA: ${path} cannot be read (${(error as { code?: string }).code ?? "unknown error"}).`);
  }
  return undefined;
}
