import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import { Budget, BudgetSpent, SchemaTooLarge } from "../../../core/json-schema/budget.ts";
import { mostErrors } from "../../../core/json-schema/explain.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import { HttpResponse } from "../../../platform/http1/http-response.ts";
import type { Passage, Policy } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import type { BodyCheck } from "./body.ts";
import type { ParameterCheck } from "./parameters.ts";

interface Checks {
  parameters: ParameterCheck;
  body: BodyCheck | undefined;
}

/** Lets through only requests that fit their operation. Prepared at first use: most routes of most deployments rest. */
export class ValidatePolicy implements Policy {
  #checks: Checks | undefined;

  constructor(private readonly validation: RouteValidation) {}

  enter(passage: Passage): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    if (!this.#checks) return this.#enterFirst(passage);
    try {
      return enterChecked(passage, this.#checks);
    } catch (error) {
      return rejectCostly(passage, error);
    }
  }

  /** RE2 and the formats are loaded here: they would lengthen the start of the server, and most need none. */
  async #enterFirst(passage: Passage): Promise<HttpResponse | undefined> {
    try {
      const [{ ParameterCheck }, { BodyCheck }] = await Promise.all([import("./parameters.ts"), import("./body.ts")]);
      const { parameters, body } = this.validation;
      const prepared = await ParameterCheck.prepare(parameters);
      this.#checks ??= { parameters: prepared, body: body && new BodyCheck(body) };
      return await enterChecked(passage, this.#checks);
    } catch (error) {
      return rejectCostly(passage, error);
    }
  }
}

function enterChecked(passage: Passage, checks: Checks): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const budget = new Budget();
  const errors = checks.parameters.errors(passage, budget);
  return checks.body ? enterWithBody(passage, checks.body, errors, budget) : answer(passage, errors);
}

async function enterWithBody(
  passage: Passage,
  body: BodyCheck,
  errors: FieldError[],
  budget: Budget,
): Promise<HttpResponse | undefined> {
  try {
    const found = await body.check(passage, budget);
    return found instanceof HttpResponse ? found : answer(passage, [...errors, ...found]);
  } catch (error) {
    return rejectCostly(passage, error);
  }
}

function answer(passage: Passage, errors: FieldError[]): HttpResponse | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const detail = `${first.pointer || "the body"} ${first.detail}`;
  return refuse(passage, "request_invalid", { detail, errors: errors.slice(0, mostErrors) });
}

/** The stack ends where schemas lead too deep into each other: that is a cost too. Every other error is thrown on. */
function rejectCostly(passage: Passage, error: unknown): HttpResponse {
  const isCostly = error instanceof BudgetSpent || error instanceof SchemaTooLarge || error instanceof RangeError;
  if (!isCostly) throw error;
  return refuse(passage, "validation_too_costly");
}
