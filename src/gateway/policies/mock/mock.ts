import { type MockResponse, responseFor } from "../../../core/artifact/artifact.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import type { MockOptions } from "./schema.ts";

/** Responds with an example from the OpenAPI document. */
export class MockPolicy implements Policy {
  constructor(private readonly options: MockOptions) {}

  enter(context: RequestContext): HttpResponse | Promise<HttpResponse> {
    const response = this.#responseTo(context);
    const { delayMs } = this.options;
    if (delayMs === 0) return response;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        context.request.abortListener = undefined;
        resolve(response);
      }, delayMs);
      context.request.abortListener = {
        onAbort: () => {
          clearTimeout(timer);
          resolve(response);
        },
      };
    });
  }

  /** A preferred status that the operation does not describe is ignored (RFC 7240). */
  #responseTo({ route, headers }: RequestContext): HttpResponse {
    const mocks = route.mocks ?? [];
    const preferred = preferredStatus(headers.get("prefer"));
    const found = preferred === undefined ? undefined : responseFor(mocks, preferred);
    if (found) return respond(preferred!, found, preferred);
    const { status = defaultStatus(mocks) } = this.options;
    return respond(status, responseFor(mocks, status), undefined);
  }
}

function respond(status: number, mock: MockResponse | undefined, preferred: number | undefined): HttpResponse {
  const headers = new HttpHeaders(mock?.headers ?? {});
  if (preferred !== undefined) headers.set("preference-applied", `code=${preferred}`);
  return new HttpResponse(status, headers, status === 204 || status === 304 ? undefined : mock?.body);
}

function defaultStatus(mocks: MockResponse[]): number {
  const success = mocks.find(({ status = 0 }) => status >= 200 && status < 300);
  return success?.status ?? 200;
}

/** `Prefer: code=404`, among other preferences. */
function preferredStatus(prefer: string | null): number | undefined {
  const [, code] = /(?:^|[,;\s])code\s*=\s*"?([2-5]\d\d)"?(?=$|[,;\s])/i.exec(prefer ?? "") ?? [];
  return code === undefined ? undefined : Number(code);
}
