import { expect, test } from "bun:test";
import { s3Authorization, sha256, signedHeaders } from "./s3-upload.ts";

const credential = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const common = { credential, region: "us-east-1", stamp: "20130524T000000Z" };
const host = ["host", "examplebucket.s3.amazonaws.com"] as const;

/** The examples of "Signature Calculations for the Authorization Header" in Amazon's documentation of S3. */
test.each([
  [
    "GET",
    "/test.txt",
    "",
    [["range", "bytes=0-9"]],
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  ["GET", "/?lifecycle=", "", [], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  ["GET", "/?max-keys=2&prefix=J", "", [], "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
  [
    "PUT",
    "/test%24file.text",
    "Welcome to Amazon S3.",
    [
      ["date", "Fri, 24 May 2013 00:00:00 GMT"],
      ["x-amz-storage-class", "REDUCED_REDUNDANCY"],
    ],
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
] as const)("signs like Amazon's example of %s %s", (method, target, body, more, signature) => {
  const [path = "", query = ""] = target.split("?");
  const content = sha256(body);
  const headers = [host, ["x-amz-content-sha256", content] as const, ["x-amz-date", common.stamp] as const, ...more];
  headers.sort(([one], [other]) => (one < other ? -1 : 1));
  const authorization = s3Authorization({ ...common, method, path, query, content, headers });
  expect(authorization).toEndWith(`Signature=${signature}`);
  expect(authorization).toContain("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request");
});

test("a session token is sent and signed", () => {
  const address = new URL("https://s3.us-east-1.amazonaws.com/bucket/a");
  const put = {
    method: "PUT",
    address,
    bytes: Buffer.from("x"),
    region: "us-east-1",
    time: new Date("2013-05-24T00:00:00Z"),
  };
  const headers = new Map(signedHeaders({ ...put, credential: { ...credential, sessionToken: "token" } }));
  expect(headers.get("x-amz-security-token")).toBe("token");
  expect(headers.get("x-amz-date")).toBe("20130524T000000Z");
  expect(headers.get("authorization")).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,",
  );
});
