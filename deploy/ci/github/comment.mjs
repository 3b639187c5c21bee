/** The texts of the comment. Everything that comes from the project is in code spans, in which Markdown has no meaning. */

const maxListed = 50;
const maxLength = 60_000;

export function markerOf(project) {
  return `<!-- tollgate ${project.replaceAll(/[^A-Za-z0-9_-]/g, "")} -->`;
}

export function deployedComment({ project, branch, deployment, changes, marker }) {
  return comment(marker, [
    `**Tollgate**: ${code(branch)} of ${code(project)} is live at ${link(deployment.url)}`,
    ...changeLines(changes),
  ]);
}

export function failedComment({ project, branch, errors, marker }) {
  const lines = errors.map(
    ({ file, line, column, message }) => `- ${code(`${file}:${line}:${column}`)} ${code(message)}`,
  );
  return comment(marker, [
    `**Tollgate**: ${code(branch)} of ${code(project)} was not deployed. The version before keeps serving.`,
    ...listed("Build errors", lines),
  ]);
}

export function deletedComment({ project, branch, marker }) {
  return comment(marker, [`**Tollgate**: the preview of ${code(branch)} of ${code(project)} was deleted.`]);
}

function changeLines(changes) {
  if (!changes?.with) return ["There is no live production deployment to compare it with."];
  const { routes, policies, breaking } = changes;
  if (routes.length + policies.length + breaking.length === 0) return ["Routes and policies are those of production."];
  return [
    ...listed(
      "⚠️ Breaking changes",
      breaking.map(({ method, path, detail }) => `- ${code(`${method} ${path}`)} ${code(detail)}`),
    ),
    ...listed(
      "Routes",
      routes.map(({ method, path, ...rest }) => changeLine(`${method} ${path}`, rest)),
    ),
    ...listed(
      "Policies",
      policies.map(({ name, ...rest }) => changeLine(name, rest)),
    ),
    `Compared with version ${changes.with.version} of ${code(changes.with.deploymentName)}.`,
  ];
}

function changeLine(subject, { change, details }) {
  return `- ${change} ${code(subject)}${details.length > 0 ? `: ${details.map(code).join(", ")}` : ""}`;
}

function listed(title, lines) {
  if (lines.length === 0) return [];
  const more = lines.length > maxListed ? [`- and ${lines.length - maxListed} more`] : [];
  return [`**${title}**`, [...lines.slice(0, maxListed), ...more].join("\n")];
}

function comment(marker, paragraphs) {
  const text = [marker, ...paragraphs].join("\n\n");
  return text.length > maxLength ? `${text.slice(0, maxLength)}\n\n…` : text;
}

/** A code span. A text with backticks needs a longer fence; line breaks would end the list. */
function code(text) {
  const flat = String(text).replaceAll(/\s+/g, " ").trim() || " ";
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${flat} ${fence}` : `${fence}${flat}${fence}`;
}

function link(url) {
  return /^https?:\/\/[\w.:[\]-]+(\/[\w./~-]*)?$/.test(url) ? url : code(url);
}
