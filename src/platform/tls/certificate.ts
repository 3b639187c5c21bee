import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { SecureContext, SecureContextOptions } from "node:tls";

const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The cipher suites of TLS 1.2 with forward secrecy and authenticated encryption (Mozilla's intermediate list without
 * DHE).
 */
const ciphers = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

/** A certificate with its chain and private key. */
export class Certificate {
  /** Host names, in lower case; may begin with `*.`. */
  readonly names: readonly string[];
  readonly issuer: string;
  /** Milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  #context: SecureContext | undefined;

  private constructor(
    leaf: X509Certificate,
    /** PEM, the leaf first. */
    readonly chain: string,
    /** PEM. */
    readonly key: string,
  ) {
    this.names = namesOf(leaf);
    this.issuer = issuerOf(leaf);
    this.notBefore = leaf.validFromDate.getTime();
    this.notAfter = leaf.validToDate.getTime();
  }

  /** Throws a CertificateError that names the invalid part, and never contains any of the key. */
  static parse(chain: string, key: string): Certificate {
    const [leafText] = chain.match(pemCertificate) ?? [];
    if (leafText === undefined) throw new CertificateError("certificate", "contains no PEM certificate");
    let leaf: X509Certificate;
    try {
      leaf = new X509Certificate(leafText);
    } catch {
      throw new CertificateError("certificate", "contains a certificate that cannot be parsed");
    }
    const privateKey = parseKey(key);
    if (!leaf.checkPrivateKey(privateKey))
      throw new CertificateError("key", `does not match the certificate of ${namesOf(leaf).join(", ") || "no name"}`);
    const certificate = new Certificate(leaf, chain, key);
    // Created here, so that a pair that TLS rejects for another reason is never served.
    try {
      void certificate.context;
    } catch (error) {
      throw new CertificateError("certificate", `cannot be used for TLS (${(error as Error).message})`);
    }
    return certificate;
  }

  get context(): SecureContext {
    this.#context ??= newContext({ cert: this.chain, key: this.key, minVersion: "TLSv1.2", ciphers });
    return this.#context;
  }

  isExpired(now: number): boolean {
    return now >= this.notAfter;
  }

  /** A wildcard matches one label (RFC 6125). */
  covers(host: string): boolean {
    const dot = host.indexOf(".");
    return this.names.includes(host) || (dot > 0 && this.names.includes(`*${host.slice(dot)}`));
  }
}

/** Loads `node:tls` with the first certificate: settings are read at every start, and loading it takes 5 ms. */
function newContext(options: SecureContextOptions): SecureContext {
  return process.getBuiltinModule("node:tls").createSecureContext(options);
}

export class CertificateError extends Error {
  constructor(
    readonly part: "certificate" | "key",
    /** The message without its subject, such as "contains no PEM certificate". */
    readonly reason: string,
  ) {
    super(`The ${part} ${reason}.`);
  }
}

function parseKey(text: string): KeyObject {
  if (/ENCRYPTED/.test(text))
    throw new CertificateError("key", "is encrypted with a passphrase; the file must contain it unencrypted");
  try {
    return createPrivateKey(text);
  } catch {
    throw new CertificateError("key", "contains no PEM private key");
  }
}

function namesOf(leaf: X509Certificate): string[] {
  const alternatives = leaf.subjectAltName ?? "";
  const names = [...alternatives.matchAll(/(?:^|, )(?:DNS|IP Address):([^,]+)/g)].map(([, name]) =>
    name!.toLowerCase(),
  );
  const commonName = /^CN=(.+)$/m.exec(leaf.subject)?.[1];
  return names.length === 0 && commonName !== undefined ? [commonName.toLowerCase()] : names;
}

function issuerOf({ issuer }: X509Certificate): string {
  const part = (name: string) => new RegExp(`^${name}=(.+)$`, "m").exec(issuer)?.[1];
  return part("O") ?? part("CN") ?? issuer.replaceAll("\n", ", ");
}
