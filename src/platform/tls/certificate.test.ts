import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:tls";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { HttpResponse } from "../http1/message/http-response.ts";
import { HttpServer } from "../http1/server/http-server.ts";
import { Certificate, CertificateError } from "./certificate.ts";

const made = makeCertificate(["a.test", "*.b.test", "10.0.0.1"]);
const other = makeCertificate(["c.test"]);
const certificate = Certificate.parse(made.certificate, made.key);

describe("a certificate", () => {
  test("has names, an issuer and a validity period", () => {
    expect(certificate.names).toEqual(["a.test", "*.b.test", "10.0.0.1"]);
    expect(certificate.issuer).toBe("Tests");
    expect(certificate.notAfter - certificate.notBefore).toBe(30 * 24 * 60 * 60_000);
    expect(certificate.isExpired(certificate.notAfter - 1)).toBe(false);
    expect(certificate.isExpired(certificate.notAfter)).toBe(true);
  });

  test.each([
    ["a.test", true],
    ["x.b.test", true],
    ["b.test", false],
    ["x.y.b.test", false],
    [".b.test", false],
    ["x.a.test", false],
    ["10.0.0.1", true],
    ["", false],
  ])("covers %p: %p", (host, isCovered) => {
    expect(certificate.covers(host)).toBe(isCovered);
  });

  test.each([
    ["", made.key, "certificate", "contains no PEM certificate"],
    ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", made.key, "certificate", "cannot be parsed"],
    [made.certificate, "", "key", "contains no PEM private key"],
    [made.certificate, made.certificate, "key", "contains no PEM private key"],
    [made.certificate, other.key, "key", "does not match the certificate of a.test, *.b.test, 10.0.0.1"],
    [made.certificate, made.key.replace("PRIVATE", "ENCRYPTED PRIVATE"), "key", "is encrypted with a passphrase"],
  ])(
    "a certificate that cannot be used is rejected, without the key in the message (%#)",
    (chain, key, part, reason) => {
      const error = caught(() => Certificate.parse(chain, key));
      expect(error).toBeInstanceOf(CertificateError);
      expect(error).toMatchObject({ part, reason: expect.stringContaining(reason) });
      expect(String(error)).not.toContain(made.key.split("\n")[1]!);
    },
  );
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("ciphers of TLS 1.2", () => {
  const server = new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => 0,
    handle: () => new HttpResponse(200),
    reject: () => new HttpResponse(400),
    onError: () => new HttpResponse(500),
    tls: { defaultContext: () => certificate.context, contextOf: () => undefined },
  });
  afterAll(() => server.stop(0));

  const agreed = (ciphers: string) =>
    new Promise<string>((resolve, reject) => {
      const options = { port: server.port, host: "127.0.0.1", rejectUnauthorized: false, ciphers };
      const socket = connect({ ...options, maxVersion: "TLSv1.2" }, () => {
        resolve(socket.getCipher().name);
        socket.destroy();
      });
      socket.on("error", reject);
    });

  test.each(["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])("%s is negotiated", async (cipher) => {
    expect(await agreed(cipher)).toBe(cipher);
  });

  test("a cipher without authenticated encryption is rejected", async () => {
    await expect(agreed("ECDHE-ECDSA-AES128-SHA")).rejects.toThrow();
  });
});
