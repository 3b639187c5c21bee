import { readFileSync, statSync } from "node:fs";
import { Certificate, CertificateError } from "./certificate.ts";

export interface CertificatePaths {
  certificate: string;
  key: string;
}

/** A certificate in two files, read again when one of them changes. */
export class CertificateFile {
  #certificate: Certificate;
  /** The state of the files when they were last read. */
  #version: string;
  /** A certificate in the files that is not valid yet. */
  #next: Certificate | undefined;

  /** Throws a CertificateFileError. */
  constructor(readonly paths: CertificatePaths) {
    this.#version = versionOf(paths);
    this.#certificate = readCertificate(paths);
  }

  get certificate(): Certificate {
    return this.#certificate;
  }

  /**
   * Returns whether the certificate has changed. Throws a CertificateFileError, once for each change, and keeps the
   * current certificate if the files do not match (they are rarely replaced at the same moment) or contain an expired
   * certificate. Also throws for a certificate that is not valid yet, and uses it as soon as it is valid.
   */
  refresh(now: number): boolean {
    const version = versionOf(this.paths);
    if (version === this.#version)
      return this.#next !== undefined && now >= this.#next.notBefore && this.#use(this.#next);
    this.#version = version;
    this.#next = undefined;
    const certificate = readCertificate(this.paths);
    if (certificate.isExpired(now)) throw new CertificateFileError([expired(this.paths, certificate)]);
    if (now >= certificate.notBefore) return this.#use(certificate);
    this.#next = certificate;
    throw new CertificateFileError([notYetValid(this.paths, certificate)]);
  }

  #use(certificate: Certificate): true {
    this.#certificate = certificate;
    this.#next = undefined;
    return true;
  }
}

interface FileError {
  part: "certificate" | "key";
  /** The message begins with the file's path. */
  message: string;
}

export class CertificateFileError extends Error {
  constructor(readonly errors: FileError[]) {
    super(errors.map(({ message }) => message).join("; "));
  }
}

export function expired({ certificate: path }: CertificatePaths, { notAfter }: Certificate): FileError {
  return { part: "certificate", message: `${path} expired on ${new Date(notAfter).toISOString()}` };
}

export function notYetValid({ certificate: path }: CertificatePaths, { notBefore }: Certificate): FileError {
  return { part: "certificate", message: `${path} is not valid before ${new Date(notBefore).toISOString()}` };
}

/** Throws a CertificateFileError. */
export function readCertificate({ certificate, key }: CertificatePaths): Certificate {
  const errors: FileError[] = [];
  const chain = read("certificate", certificate, errors);
  const privateKey = read("key", key, errors);
  if (chain === undefined || privateKey === undefined) throw new CertificateFileError(errors);
  try {
    return Certificate.parse(chain, privateKey);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const { part, reason } = error;
    throw new CertificateFileError([{ part, message: `${part === "key" ? key : certificate} ${reason}` }]);
  }
}

function read(part: FileError["part"], path: string, errors: FileError[]): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as { code?: string }).code ?? "unknown error";
    errors.push({ part, message: `${path} cannot be read (${code})` });
    return undefined;
  }
}

/** Follows symbolic links, because certbot and Kubernetes replace those and not the files. */
function versionOf({ certificate, key }: CertificatePaths): string {
  return [certificate, key].map(describe).join(" ");
}

function describe(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return "missing";
  }
}
