import type { HttpHeaders } from "../../../wire/headers.ts";
import type { HttpResponse } from "../../../wire/http-response.ts";
import type { Passage, Policy } from "../../policy.ts";
import type { HeadersOptions } from "./schema.ts";

/** Sets and takes away headers, of requests on their way to the target and of answers on their way back. */
export class HeadersPolicy implements Policy {
  constructor(private readonly options: HeadersOptions) {}

  enter(passage: Passage): undefined {
    apply(this.options.request, passage.headers);
  }

  leave(_: Passage, answer: HttpResponse): HttpResponse {
    apply(this.options.response, answer.headers);
    return answer;
  }
}

function apply({ remove, set }: HeadersOptions["request"], headers: HttpHeaders): void {
  for (const name of remove) headers.delete(name);
  for (const name in set) headers.set(name, set[name]!);
}
