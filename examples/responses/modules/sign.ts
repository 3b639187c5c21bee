import type { OnResponse, Policy } from "tollgate/gateway";

const pass: Policy = () => {};

export default pass;

/** Signs the body, so that clients can prove where it comes from. The body itself stays as it is. */
export const onResponse: OnResponse = async (response, _request, context) => {
  const secret = new TextEncoder().encode(context.environment.SIGNING_KEY);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, await response.arrayBuffer()));
  response.headers.set(
    "x-signature",
    `sha256=${[...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  );
  return response;
};
