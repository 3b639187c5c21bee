import { describe, expect, test } from "bun:test";
import { configErrors } from "../../test/support/config-errors.ts";
import { type Environment, readConfig } from "./config.ts";

describe("TLS:", () => {
  const acme = { TOLLGATE_ACME: "on", TOLLGATE_HTTP_PORT: "80", TOLLGATE_PUBLIC_URL: "https://a.example" };

  test("ACME defaults to Let's Encrypt, and the port for plain HTTP is at the public host", () => {
    expect(readConfig({ ...acme, TOLLGATE_ACME_EMAIL: "ops@a.example" })).toMatchObject({
      tls: {
        files: [],
        acme: { directory: "https://acme-v02.api.letsencrypt.org/directory", email: "ops@a.example" },
      },
      httpListener: { host: "127.0.0.1", port: 80 },
    });
    const separate = { ...acme, TOLLGATE_GATEWAY_PORT: "443", TOLLGATE_GATEWAY_HOST: "0.0.0.0" };
    expect(readConfig(separate).httpListener).toEqual({ host: "0.0.0.0", port: 80 });
  });

  const wrong: [Environment, string][] = [
    [{ TOLLGATE_HTTP_PORT: "80" }, "TOLLGATE_HTTP_PORT needs TLS"],
    [{ TOLLGATE_ACME: "on", TOLLGATE_HTTP_PORT: "80" }, "TOLLGATE_ACME needs TOLLGATE_PUBLIC_URL"],
    [{ ...acme, TOLLGATE_HTTP_PORT: "" }, "TOLLGATE_ACME needs TOLLGATE_HTTP_PORT"],
    [{ ...acme, TOLLGATE_ACME: "yes", TOLLGATE_HTTP_PORT: "" }, "TOLLGATE_ACME must be on or off"],
    [{ ...acme, TOLLGATE_ACME_EMAIL: "nobody" }, "TOLLGATE_ACME_EMAIL must be"],
    [{ ...acme, TOLLGATE_ACME_DIRECTORY: "http://ca.example" }, "TOLLGATE_ACME_DIRECTORY must be"],
    [{ ...acme, TOLLGATE_ACME_CA: "/nowhere/ca.pem" }, "TOLLGATE_ACME_CA: /nowhere/ca.pem cannot be read (ENOENT)"],
    [
      { ...acme, TOLLGATE_PUBLIC_URL: "https://192.0.2.1" },
      "TOLLGATE_ACME orders certificates for public domain names",
    ],
    [
      { ...acme, TOLLGATE_PUBLIC_URL: "https://[::1]:8443" },
      "TOLLGATE_ACME orders certificates for public domain names",
    ],
    [
      { ...acme, TOLLGATE_PUBLIC_URL: "https://a.internal" },
      "TOLLGATE_ACME orders certificates for public domain names",
    ],
    [
      { ...acme, TOLLGATE_PUBLIC_URL: "https://localhost" },
      "TOLLGATE_ACME orders certificates for public domain names",
    ],
    [{ ...acme, TOLLGATE_PUBLIC_URL: "http://a.example" }, "TOLLGATE_PUBLIC_URL must begin with https://"],
    [{ ...acme, TOLLGATE_GATEWAY_URL: "http://{name}.a.example" }, "TOLLGATE_GATEWAY_URL must begin with https://"],
    [{ TOLLGATE_TLS_CERT: "a.pem" }, "TOLLGATE_TLS_CERT and TOLLGATE_TLS_KEY must name the same number of files"],
  ];
  test.each(wrong)("%o is an error", (environment, expected) => {
    const errors = configErrors(environment);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toStartWith(expected);
  });
});
