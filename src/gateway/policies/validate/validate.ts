import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import { Budget, BudgetExceeded, SchemaTooLarge } from "../../../core/json-schema/budget.ts";
import { maxErrors } from "../../../core/json-schema/explain.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import type { BodyCheck } from "./body.ts";
import type { ParameterCheck } from "./parameters.ts";

/** Limits the errors of a request in its record. */
export const maxRecordedErrors = 5;

interface Checks {
  parameters: ParameterCheck;
  body: BodyCheck | undefined;
}

/** Rejects requests that do not match their operation. Prepared at first use, because most routes are idle. */
export class ValidatePolicy implements Policy {
  #checks: Checks | undefined;
  #preparing: Promise<ParameterCheck> | undefined;

  constructor(
    protected readonly validation: RouteValidation,
    protected readonly observes = false,
  ) {}

  enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (!this.#checks) return this.#enterFirst(context);
    try {
      return enterChecked(context, this.#checks);
    } catch (error) {
      return rejectCostly(context, error);
    }
  }

  /** RE2 and the formats are imported here, not at the server's start: most deployments do not need them. */
  async #enterFirst(context: RequestContext): Promise<HttpResponse | undefined> {
    try {
      const [{ ParameterCheck }, { BodyCheck }] = await Promise.all([import("./parameters.ts"), import("./body.ts")]);
      const { parameters, body } = this.validation;
      this.#preparing ??= ParameterCheck.prepare(parameters);
      const prepared = await this.#preparing;
      this.#checks ??= { parameters: prepared, body: body && new BodyCheck(body, this.observes) };
      return await enterChecked(context, this.#checks);
    } catch (error) {
      return rejectCostly(context, error);
    }
  }
}

function enterChecked(
  context: RequestContext,
  checks: Checks,
): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const budget = new Budget();
  const errors = checks.parameters.errors(context, budget);
  return checks.body ? enterWithBody(context, checks.body, errors, budget) : rejectionFor(context, errors);
}

async function enterWithBody(
  context: RequestContext,
  body: BodyCheck,
  errors: FieldError[],
  budget: Budget,
): Promise<HttpResponse | undefined> {
  try {
    const found = await body.check(context, budget);
    return found instanceof HttpResponse ? found : rejectionFor(context, [...errors, ...found]);
  } catch (error) {
    return rejectCostly(context, error);
  }
}

function rejectionFor(context: RequestContext, errors: FieldError[]): HttpResponse | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const detail = `${first.pointer || "the body"} ${first.detail}`;
  return reject(context, "request_invalid", {
    detail,
    errors: errors.slice(0, maxErrors),
    decision: { reason: "invalid", errors: errors.slice(0, maxRecordedErrors) },
  });
}

/** A stack overflow by deeply nested schemas counts as exceeding the budget. */
export function isCostly(error: unknown): boolean {
  return error instanceof BudgetExceeded || error instanceof SchemaTooLarge || error instanceof RangeError;
}

/** Rethrows every other error. */
function rejectCostly(context: RequestContext, error: unknown): HttpResponse {
  if (!isCostly(error)) throw error;
  return reject(context, "validation_too_costly", { decision: { reason: "too_costly" } });
}
