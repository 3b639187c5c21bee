import { readFileSync, statSync } from "node:fs";
import { Certificate, CertificateError } from "./certificate.ts";

export interface CertificatePaths {
  certificate: string;
  key: string;
}

/** A certificate in two files, read again when one of them changes. */
export class CertificateFile {
  #certificate: Certificate;
  /** What the files looked like when they were read last. */
  #version: string;

  /** Throws a CertificateFileError. */
  constructor(readonly paths: CertificatePaths) {
    this.#version = versionOf(paths);
    this.#certificate = readCertificate(paths);
  }

  get certificate(): Certificate {
    return this.#certificate;
  }

  /**
   * Whether there is another certificate now. Throws a CertificateFileError, once for each change, and keeps the one it has if
   * the files do not fit: they are rarely replaced in the same moment.
   */
  refresh(): boolean {
    const version = versionOf(this.paths);
    if (version === this.#version) return false;
    this.#version = version;
    this.#certificate = readCertificate(this.paths);
    return true;
  }
}

export class CertificateFileError extends Error {
  constructor(
    readonly part: "certificate" | "key",
    message: string,
  ) {
    super(message);
  }
}

/** Throws a CertificateFileError. */
export function readCertificate({ certificate, key }: CertificatePaths): Certificate {
  const chain = read("certificate", certificate);
  const privateKey = read("key", key);
  try {
    return Certificate.parse(chain, privateKey);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new CertificateFileError(error.part, `${error.part === "key" ? key : certificate} ${error.reason}`);
  }
}

function read(part: "certificate" | "key", path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CertificateFileError(
      part,
      `${path} cannot be read (${(error as { code?: string }).code ?? "unknown error"})`,
    );
  }
}

/** Follows symbolic links: certbot and Kubernetes replace those, not the files. */
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
