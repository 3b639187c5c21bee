import { type Policy, type PolicyState, type RequestContext, stateOf } from "../exchange/policy.ts";
import type { McpRoute, PolicyStep } from "../exchange/running-route.ts";
import { calledTool, isRequest, messageOf } from "./message.ts";

/** Policies of a message that do not run for `tools/call`: those of the tool do. */
const toolPolicies = ["quota", "usage", "concurrency"];

/**
 * Returns the policies of a route with the handler `mcp`: for a call of a tool, those that count leave it to the tool's
 * operation. A `rate-limit` that both have counts once.
 */
export function messagePolicy(policy: Policy, step: PolicyStep, route: McpRoute): Policy {
  const isShared = step.type === "rate-limit";
  if (!isShared && !toolPolicies.includes(step.type)) return policy;
  const isSkipped = async (context: RequestContext): Promise<boolean> => {
    const message = await messageOf(context);
    if (!isRequest(message) || message.method !== "tools/call") return false;
    if (!isShared) return true;
    const tool = calledTool(message, route);
    return tool !== undefined && route.routeOf(tool).steps.some((each) => each.policy === step.policy);
  };
  return new MessagePolicy(policy, isSkipped);
}

/** Marks requests that the policy was entered for. */
interface Entered extends PolicyState {}

class MessagePolicy implements Policy {
  readonly leave: Policy["leave"];
  readonly done: Policy["done"];

  constructor(
    private readonly policy: Policy,
    private readonly isSkipped: (context: RequestContext) => Promise<boolean>,
  ) {
    // Undefined where the policy has none: a route waits for the end of responses if one of its policies has `done`.
    if (policy.leave)
      this.leave = (context, response) =>
        stateOf<Entered>(context, this) ? policy.leave!(context, response) : response;
    if (policy.done)
      this.done = (context, outcome) => (stateOf<Entered>(context, this) ? policy.done!(context, outcome) : undefined);
  }

  async enter(context: RequestContext) {
    if (await this.isSkipped(context)) return undefined;
    const entered: Entered = { policy: this, previous: context.state };
    context.state = entered;
    return this.policy.enter?.(context);
  }
}
