/** The part of GitHub's REST API that comments need: https://docs.github.com/en/rest/issues/comments */

const pageSize = 100;
const maxPages = 20;

/** Creates the comment with the marker, or replaces its text: a pull request has one comment per project. */
export async function writeComment({ api, repository, token, number, marker, body, onlyIfThere = false }) {
  const comments = `${api}/repos/${repository}/issues/${number}/comments`;
  const existing = await findComment(comments, token, marker);
  if (existing) await send("PATCH", `${api}/repos/${repository}/issues/comments/${existing.id}`, token, { body });
  else if (!onlyIfThere) await send("POST", comments, token, { body });
}

async function findComment(comments, token, marker) {
  for (let page = 1; page <= maxPages; page++) {
    const found = await send("GET", `${comments}?per_page=${pageSize}&page=${page}`, token);
    // Others may quote the marker: only a comment that begins with it is ours.
    const own = found.find((comment) => comment.body?.startsWith(marker));
    if (own) return own;
    if (found.length < pageSize) return undefined;
  }
  return undefined;
}

async function send(method, url, token, body) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "x-github-api-version": "2022-11-28",
      "user-agent": "tollgate-action",
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} returned ${response.status}`);
  return response.json();
}
