import { createSecureContext, type SecureContext } from "node:tls";
import type { Certificate } from "./certificate.ts";
import type { CertificateFile } from "./certificate-file.ts";

/** A certificate as returned by the API. */
interface ShownCertificate {
  expiresOn: string;
  issuer: string;
}

/** The certificates of this node: those from files, and those that were ordered, by host. */
export class Certificates {
  readonly #ordered = new Map<string, Certificate>();
  /** Why the last order for a host failed. */
  errors: ReadonlyMap<string, string> = new Map();
  /** Ends every handshake with an alert. */
  readonly #none = createSecureContext({});

  constructor(
    private readonly files: readonly CertificateFile[],
    /** The host whose certificate is used for clients that send no name or an unknown one, if there are no files. */
    private readonly publicHost: string | undefined,
  ) {}

  defaultContext(): SecureContext {
    const certificate = this.files[0]?.certificate ?? this.#ordered.get(this.publicHost ?? "");
    return certificate?.context ?? this.#none;
  }

  /** Returns undefined for an unknown host, which gets the default certificate. */
  contextOf(host: string): SecureContext | undefined {
    return this.find(host)?.context;
  }

  /** Certificates from files take precedence, because the operator chose them. */
  find(host: string): Certificate | undefined {
    return this.#fileFor(host) ?? this.#ordered.get(host);
  }

  /** No certificate is ordered for hosts with a certificate from files. */
  isFromFiles(host: string): boolean {
    return this.#fileFor(host) !== undefined;
  }

  show(host: string): ShownCertificate | undefined {
    const certificate = this.find(host);
    return certificate && { expiresOn: new Date(certificate.notAfter).toISOString(), issuer: certificate.issuer };
  }

  setOrdered(host: string, certificate: Certificate): void {
    this.#ordered.set(host, certificate);
  }

  deleteOrdered(host: string): void {
    this.#ordered.delete(host);
  }

  /** Every certificate under its first name. */
  *all(): Generator<{ name: string; certificate: Certificate }> {
    for (const { certificate } of this.files) yield { name: certificate.names[0] ?? "", certificate };
    for (const [name, certificate] of this.#ordered) yield { name, certificate };
  }

  /**
   * Reads the files that changed. Reports loaded certificates, and errors of files, which leave the former certificate
   * in use.
   */
  refreshFiles(now: number, loaded: (certificate: Certificate) => void, failed: (error: unknown) => void): void {
    for (const file of this.files) {
      try {
        if (file.refresh(now)) loaded(file.certificate);
      } catch (error) {
        failed(error);
      }
    }
  }

  /** A certificate with the exact host takes precedence over a wildcard, in any order. */
  #fileFor(host: string): Certificate | undefined {
    const covering = this.files.filter(({ certificate }) => certificate.covers(host));
    const exact = covering.find(({ certificate }) => certificate.names.includes(host));
    return (exact ?? covering[0])?.certificate;
  }
}
