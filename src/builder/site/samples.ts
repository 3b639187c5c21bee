import { keyPlaceholder, type OperationPage, urlPlaceholder } from "../../core/artifact/site.ts";

/** A request that samples send. */
interface SampleRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: [name: string, value: string][];
  keyHeader: OperationPage["keyHeader"];
  body?: { mediaType: string; value: unknown } | undefined;
}

/** The request in the languages that most callers use. */
export function samplesOf(request: SampleRequest): OperationPage["samples"] {
  return [
    { language: "curl", code: curl(request) },
    { language: "JavaScript", code: javaScript(request) },
    { language: "Python", code: python(request) },
    // Go has no one-line form for multipart bodies.
    ...(request.body && isMultipart(request.body.mediaType) ? [] : [{ language: "Go", code: go(request) }]),
  ];
}

function headersOf({ headers, keyHeader, body }: SampleRequest): [string, string][] {
  const key: [string, string][] = keyHeader ? [[keyHeader.header, keyHeader.prefix + keyPlaceholder]] : [];
  // Libraries set the type of forms themselves, with their boundary.
  const type: [string, string][] = body && !isForm(body.mediaType) ? [["Content-Type", body.mediaType]] : [];
  return [...key, ...headers, ...type];
}

const isJson = (mediaType: string): boolean => /[/+]json\b/i.test(mediaType);
const isForm = (mediaType: string): boolean => isMultipart(mediaType) || /^application\/x-www-form/i.test(mediaType);
const isMultipart = (mediaType: string): boolean => /^multipart\//i.test(mediaType);
const bodyText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const isTextual = (value: unknown): boolean => typeof value !== "object" || value === null;

/** The fields of a form. */
function fieldsOf(value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, each]) => [name, isTextual(each) ? String(each) : JSON.stringify(each)]);
}

const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl(request: SampleRequest): string {
  const { method, target, body } = request;
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${shellWord(urlPlaceholder + target)}`];
  for (const [name, value] of headersOf(request)) lines.push(`-H ${shellWord(`${name}: ${value}`)}`);
  if (body && isForm(body.mediaType)) {
    const option = isMultipart(body.mediaType) ? "-F" : "--data-urlencode";
    for (const [name, value] of fieldsOf(body.value)) lines.push(`${option} ${shellWord(`${name}=${value}`)}`);
  } else if (body) lines.push(`--data ${shellWord(bodyText(body.value))}`);
  return lines.join(" \\\n  ");
}

const quoted = (text: string): string => JSON.stringify(text);

/** Indents all lines but the first. */
const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

function javaScript(request: SampleRequest): string {
  const { method, target, body } = request;
  const url = quoted(urlPlaceholder + target);
  const headers = headersOf(request).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`);
  const options = [
    ...(method === "GET" ? [] : [`  method: ${quoted(method)},\n`]),
    ...(headers.length === 0 ? [] : [`  headers: {\n${headers.join("")}  },\n`]),
    ...(body ? [`  body: ${javaScriptBody(body)},\n`] : []),
  ].join("");
  const call = options === "" ? `fetch(${url})` : `fetch(${url}, {\n${options}})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.text());`;
}

function javaScriptBody({ mediaType, value }: NonNullable<SampleRequest["body"]>): string {
  if (isJson(mediaType)) return `JSON.stringify(${indented(JSON.stringify(value, null, 2), "  ")})`;
  if (!isForm(mediaType)) return quoted(bodyText(value));
  const fields = Object.fromEntries(fieldsOf(value));
  const params = `new URLSearchParams(${indented(JSON.stringify(fields, null, 2), "  ")})`;
  if (!isMultipart(mediaType)) return params;
  const entries = Object.entries(fields).map(([name, each]) => `form.append(${quoted(name)}, ${quoted(each)}); `);
  return `(() => { const form = new FormData(); ${entries.join("")}return form; })()`;
}

function python(request: SampleRequest): string {
  const { method, target, body } = request;
  const known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].includes(method);
  const url = quoted(urlPlaceholder + target);
  const headers = headersOf(request).map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},\n`);
  const parts = [
    known ? `    ${url},\n` : `    ${quoted(method)},\n    ${url},\n`,
    ...(headers.length === 0 ? [] : [`    headers={\n${headers.join("")}    },\n`]),
    ...(body ? [`    ${indented(pythonBody(body), "    ")},\n`] : []),
  ];
  const name = known ? method.toLowerCase() : "request";
  return `import requests\n\nresponse = requests.${name}(\n${parts.join("")})\nprint(response.status_code, response.text)`;
}

function pythonBody({ mediaType, value }: NonNullable<SampleRequest["body"]>): string {
  if (isJson(mediaType)) return `json=${pythonValue(value, "")}`;
  if (!isForm(mediaType)) return `data=${quoted(bodyText(value))}`;
  const fields = Object.fromEntries(fieldsOf(value));
  if (!isMultipart(mediaType)) return `data=${pythonValue(fields, "")}`;
  const files = Object.entries(fields).map(([name, each]) => `${quoted(name)}: (None, ${quoted(each)})`);
  return `files={${files.join(", ")}}`;
}

/** JSON with the constants of Python. */
function pythonValue(value: unknown, indent: string): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each) => pythonValue(each, deeper))
    : Object.entries(value).map(([name, each]) => `${quoted(name)}: ${pythonValue(each, deeper)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join("")}${indent}${close}`;
}

function go(request: SampleRequest): string {
  const { method, target, body } = request;
  const text = body && goBody(body);
  const type = body && isForm(body.mediaType) ? [["Content-Type", "application/x-www-form-urlencoded"] as const] : [];
  const headers = [...headersOf(request), ...type].map(
    ([name, value]) => `\treq.Header.Set(${quoted(name)}, ${quoted(value)})\n`,
  );
  const imports = ["fmt", "io", "net/http", ...(body ? ["strings"] : [])].map((name) => `\t${quoted(name)}\n`).join("");
  return `package main

import (
${imports})

func main() {
${body ? `\tbody := strings.NewReader(${text})\n` : ""}\treq, err := http.NewRequest(${quoted(method)}, ${quoted(urlPlaceholder + target)}, ${body ? "body" : "nil"})
\tif err != nil {
\t\tpanic(err)
\t}
${headers.join("")}\tres, err := http.DefaultClient.Do(req)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer res.Body.Close()
\ttext, _ := io.ReadAll(res.Body)
\tfmt.Println(res.StatusCode, string(text))
}`;
}

function goBody({ mediaType, value }: NonNullable<SampleRequest["body"]>): string {
  const text = isForm(mediaType) ? new URLSearchParams(fieldsOf(value)).toString() : bodyText(value);
  return text.includes("`") ? quoted(text) : `\`${text}\``;
}
