import { createPrivateKey, X509Certificate } from "node:crypto";
import { containsPlaceholder } from "./secret-references.ts";

interface TlsFault {
  member: "ca" | "cert" | "key";
  message: string;
}

/**
 * Returns the errors in the certificates of an upstream. Values that contain the placeholder of a secret are skipped,
 * because they are known only when a version starts. The message does not quote values.
 */
export function tlsFault(tls: {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}): TlsFault | undefined {
  const { ca, cert, key } = tls;
  if (isKnown(ca) && !isCertificate(ca)) return { member: "ca", message: notCertificate };
  if (isKnown(cert) && !isCertificate(cert)) return { member: "cert", message: notCertificate };
  if (isKnown(key) && privateKey(key) === undefined)
    return { member: "key", message: "must be the PEM text of a private key without a passphrase" };
  if (cert !== undefined && key === undefined)
    return { member: "cert", message: 'needs "key": the private key of the certificate' };
  if (key !== undefined && cert === undefined)
    return { member: "key", message: 'needs "cert": the certificate of the key' };
  if (isKnown(cert) && isKnown(key) && !new X509Certificate(cert).checkPrivateKey(privateKey(key)!))
    return { member: "key", message: "is not the private key of the certificate" };
  return undefined;
}

const notCertificate = "must be the PEM text of one or more certificates";

function isKnown(pem: string | undefined): pem is string {
  return pem !== undefined && !containsPlaceholder(pem);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function privateKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
