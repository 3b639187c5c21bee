import { findProgram } from "./find-program.ts";

/** The Debian packages of Python's frameworks and type checker, and of Go. */
export const otherLanguages = [
  "golang-go",
  "mypy",
  "python3-flask",
  "python3-django",
  "python3-starlette",
  "python3-fastapi",
  "python3-uvicorn",
];

export const findGo = (name: "go" | "gofmt" = "go"): string => findProgram(name);

/** Debian's Python, which has the frameworks. Throws if it lacks one. */
export function findPython(): string {
  const python = Bun.which("/usr/bin/python3") ?? findProgram("python3");
  const { exitCode } = Bun.spawnSync([python, "-c", "import fastapi, starlette, flask, django, uvicorn, mypy"]);
  if (exitCode !== 0) throw new Error(`${python} lacks fastapi, starlette, flask, django, uvicorn or mypy.`);
  return python;
}
