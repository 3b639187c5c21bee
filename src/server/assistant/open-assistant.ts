import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Assistant, AssistantOptions } from "./assistant.ts";

/** Loads the assistant with its first request: most servers have none, and the start does not wait for it. */
export function openAssistant(options: AssistantOptions): (request: HttpRequest) => Promise<HttpResponse> {
  let opened: Promise<Assistant> | undefined;
  return async (request) => {
    opened ??= import("./assistant.ts").then(({ Assistant }) => new Assistant(options));
    return (await opened).handle(request);
  };
}
