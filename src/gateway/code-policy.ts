import { type Exchange, splitUrl } from "./exchange.ts";
import { isForTargets } from "./forwarded-headers.ts";
import type { Policy } from "./policy.ts";
import type { RequestHead, Sandbox } from "./sandbox/protocol.ts";

/** A policy that a project wrote itself: it sees the head of a request, and answers it or lets it pass, perhaps changed. */
export function codePolicy(sandbox: Sandbox, module: string, options: unknown, protocol: string): Policy {
  return {
    async enter(exchange: Exchange) {
      const head = { method: exchange.method, url: exchange.url(protocol), headers: [...exchange.headers] };
      const decision = await sandbox.decide(module, head, exchange.codeContext(options), {
        timeoutSeconds: exchange.route.timeoutSeconds,
      });
      if ("answer" in decision) {
        exchange.isRejectedByCode = decision.answer.status >= 400 && decision.answer.status < 500;
        return decision.answer;
      }
      if (decision.proceed) proceedAs(exchange, decision.proceed);
      return undefined;
    },
  };
}

/** Where the request goes stays the route's affair: of another address only path and query count. */
function proceedAs(exchange: Exchange, head: RequestHead): void {
  const { path, search } = splitUrl(head.url);
  exchange.path = path;
  exchange.query = search;
  exchange.method = head.method.toUpperCase();
  const { headers } = exchange;
  for (const name of [...headers.keys()]) if (isForTargets(name)) headers.delete(name);
  for (const [name, value] of head.headers) if (isForTargets(name.toLowerCase())) headers.append(name, value);
}
