import type { OnResponse, Policy } from "tollgate/gateway";

/** `context.state` goes from the request to the response. */
const start: Policy = (_request, context) => {
  context.state = { startedOn: Date.now() };
};

export default start;

/** Adds a field to JSON. */
export const onResponse: OnResponse = async (response, _request, context) => {
  if (!response.headers.get("content-type")?.includes("json")) return;
  const body = (await response.json()) as object;
  const milliseconds = Date.now() - context.state.startedOn;
  return Response.json({ ...body, requestId: context.requestId, milliseconds }, response);
};
