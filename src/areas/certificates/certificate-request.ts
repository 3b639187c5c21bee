import { createPublicKey, sign } from "node:crypto";

/** The tags of ASN.1 (ITU-T X.690) that a certificate request uses. */
const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
  dnsName: 0x82,
  attributes: 0xa0,
  set: 0x31,
};

/** DER of object identifiers. */
const ids = {
  // 1.2.840.10045.4.3.2
  ecdsaWithSha256: Buffer.from("06082a8648ce3d040302", "hex"),
  // 1.2.840.113549.1.9.14
  extensionRequest: Buffer.from("06092a864886f70d01090e", "hex"),
  // 2.5.29.17
  subjectAltName: Buffer.from("0603551d11", "hex"),
};

/** A request for a certificate of one host (PKCS #10, RFC 2986), in DER. The key is one of P-256, in PEM. */
export function certificateRequest(host: string, key: string): Buffer {
  const names = der(tags.sequence, der(tags.dnsName, Buffer.from(host, "ascii")));
  const extension = der(tags.sequence, ids.subjectAltName, der(tags.octetString, names));
  const attribute = der(tags.sequence, ids.extensionRequest, der(tags.set, der(tags.sequence, extension)));
  const info = der(
    tags.sequence,
    der(tags.integer, Buffer.from([0])),
    // An empty subject: authorities read the alternative names only.
    der(tags.sequence),
    createPublicKey(key).export({ format: "der", type: "spki" }),
    der(tags.attributes, attribute),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", info, key)]);
  return der(tags.sequence, info, der(tags.sequence, ids.ecdsaWithSha256), der(tags.bitString, signature));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** Up to 127 in one byte, else the number of bytes that follow, and these. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
