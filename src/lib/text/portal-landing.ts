/** The words of a portal's landing page, which the server writes and browsers render. */

interface Site {
  title: string;
  signIn: { mail: boolean; provider?: string | undefined };
  signUp: string;
}

/** Whether people can sign in at the portal itself, and not only through a hand-off. */
export const canEnter = ({ signIn }: Pick<Site, "signIn">): boolean => signIn.mail || signIn.provider !== undefined;

export const landingTexts = {
  readDocs: "Read the documentation",
  seePlans: "See the plans",
  quickStart: "Quick start",
  plans: "Plans",
  reference: "Documentation",
};

/** How people get access: the heading above the sign-in, and what to know about it. */
export function accessText(site: Site): { heading: string; paragraphs: string[] } {
  const { title, signUp } = site;
  if (!canEnter(site))
    return {
      heading: "How to get access",
      paragraphs: [
        `You are not signed in. Sign in at the website of ${title}, and open this portal from your account there: no second password is needed.`,
        `No account yet? Ask ${title} for one.`,
      ],
    };
  switch (signUp) {
    case "closed":
      return {
        heading: `Sign in to ${title}`,
        paragraphs: [`Accounts are by invitation. Ask ${title} if you have none.`],
      };
    case "approval":
      return {
        heading: "Sign in or request access",
        paragraphs: [`New here? Sign in, and say what you want to build. ${title} approves new customers.`],
      };
    default:
      return { heading: "Sign in or create an account", paragraphs: [] };
  }
}

/** The way from a visit to the first request, which is shown beside it unless it is for customers only. */
export function firstSteps(site: Site & { apis: { example?: unknown }[] }): { title: string; text: string }[] {
  const key = {
    title: "Create a key",
    text: "Under Keys. It is shown once, and filled into every sample on these pages.",
  };
  const text = site.apis.some(({ example }) => example)
    ? "Copy it, with your key, into a terminal."
    : "You find it on the start page, ready to copy.";
  const call = { title: "Send your first request", text };
  return [accountStep(site), key, call];
}

function accountStep(site: Site): { title: string; text: string } {
  if (!canEnter(site))
    return { title: "Open the portal", text: `From your account at ${site.title}. You are signed in at once.` };
  if (site.signUp === "closed") return { title: "Sign in", text: "With the address that you were invited with." };
  if (site.signUp === "approval")
    return { title: "Request access", text: "With your work address. You get a mail when you are approved." };
  if (!site.signIn.mail) return { title: "Create an account", text: `Continue with ${site.signIn.provider}.` };
  return { title: "Create an account", text: "Enter your address, then the code from the mail. No password." };
}
