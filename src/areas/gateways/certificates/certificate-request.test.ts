import { expect, test } from "bun:test";
import { certificateRequest, newCertificateKey } from "./acme-directory.ts";

// Lengths of one, two and three bytes.
test.each(["a.io", `${"a".repeat(60)}.${"b".repeat(60)}.example`, `${`${"c".repeat(60)}.`.repeat(4)}example`])(
  "OpenSSL verifies a request for %s",
  async (host) => {
    const request = certificateRequest(host, newCertificateKey());
    const command = "openssl req -inform DER -verify -noout -text";
    const openssl = Bun.spawn(command.split(" "), { stdin: request, stdout: "pipe", stderr: "pipe" });
    const [text, errors] = await Promise.all([openssl.stdout.text(), openssl.stderr.text()]);
    expect(await openssl.exited, errors).toBe(0);
    expect(errors).toContain("self-signature verify OK");
    expect(text).toContain(`DNS:${host}\n`);
  },
);
