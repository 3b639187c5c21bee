import type { OnResponse, Policy } from "tollgate/gateway";

const pass: Policy = () => {};

export default pass;

/** Converts an upstream's error to a problem document (RFC 9457), without what the upstream says about itself. */
export const onResponse: OnResponse = (response, request, context) => {
  if (response.status < 400 || response.headers.get("content-type")?.includes("problem+json")) return;
  const { status } = response;
  const problem = {
    type: `https://httpproblems.com/http-status/${status}`,
    title: status < 500 ? "The request was rejected" : "The service failed",
    status,
    instance: new URL(request.url).pathname,
    trace: { requestId: context.requestId },
  };
  return new Response(JSON.stringify(problem), { status, headers: { "content-type": "application/problem+json" } });
};
