import type { RouteValidation } from "../../../deployments/artifact.ts";
import type { FieldError } from "../../../problems/problem.ts";
import { HttpResponse } from "../../../wire/http-response.ts";
import type { Passage, Policy } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import type { BodyCheck } from "./body.ts";
import type { ParameterCheck } from "./parameters.ts";

const mostErrors = 20;

interface Checks {
  parameters: ParameterCheck;
  body: BodyCheck | undefined;
}

/** Lets through only requests that fit their operation. Compiled at first use: most routes of most deployments rest. */
export class ValidatePolicy implements Policy {
  #checks: Checks | undefined;

  constructor(private readonly validation: RouteValidation) {}

  enter(passage: Passage): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    return this.#checks ? enterChecked(passage, this.#checks) : this.#enterFirst(passage);
  }

  /** The compiler is loaded here: at the start of the server it would take a fifth of the time, and most need none. */
  async #enterFirst(passage: Passage): Promise<HttpResponse | undefined> {
    const [{ ParameterCheck }, { BodyCheck }] = await Promise.all([import("./parameters.ts"), import("./body.ts")]);
    const { parameters, body } = this.validation;
    this.#checks ??= { parameters: new ParameterCheck(parameters), body: body && new BodyCheck(body) };
    return enterChecked(passage, this.#checks);
  }
}

function enterChecked(passage: Passage, checks: Checks): HttpResponse | undefined | Promise<HttpResponse | undefined> {
  const errors = checks.parameters.errors(passage);
  return checks.body ? enterWithBody(passage, checks.body, errors) : answer(passage, errors);
}

async function enterWithBody(
  passage: Passage,
  body: BodyCheck,
  errors: FieldError[],
): Promise<HttpResponse | undefined> {
  const found = await body.check(passage);
  return found instanceof HttpResponse ? found : answer(passage, [...errors, ...found]);
}

function answer(passage: Passage, errors: FieldError[]): HttpResponse | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const detail = `${first.pointer || "the body"} ${first.detail}`;
  return refuse(passage, "request_invalid", { detail, errors: errors.slice(0, mostErrors) });
}
