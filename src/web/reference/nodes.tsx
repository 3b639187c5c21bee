import { createContext, createElement, type ReactNode, useContext } from "react";
import type { PageElement, PageNode } from "../../client/transport/portal-schema.gen.ts";
import { Link } from "../lib/router.tsx";
import { CodeBlock } from "./code-block.tsx";

/** The path of the API's pages, which links and images are relative to. */
export const Base = createContext("");

const textOf = (nodes: PageNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : textOf(node.children ?? []))).join("");

/** The elements of a page. */
export function Nodes({ nodes }: { nodes: PageNode[] | undefined }): ReactNode {
  return nodes?.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pages never change while they are shown.
    <Node key={index} node={node} />
  ));
}

function Node({ node }: { node: PageNode }): ReactNode {
  const base = useContext(Base);
  if (typeof node === "string") return node;
  const { tag, id, kind, children, start, align } = node;
  const content = children && <Nodes nodes={children} />;
  switch (tag) {
    case "pre":
      return (
        <CodeBlock text={textOf(children ?? [])} label={node.language}>
          {content}
        </CodeBlock>
      );
    case "a":
      return <Anchor node={node} />;
    case "img":
      return (
        <img src={node.src?.replace(/^file:/, `${base}/`)} alt={node.alt ?? ""} title={node.title} loading="lazy" />
      );
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll, also with the keyboard.
        <div className="prose-table" tabIndex={0}>
          <table>{content}</table>
        </div>
      );
    case "h2":
    case "h3":
    case "h4":
      return createElement(tag, { id }, content, id && <HeadingLink id={id} />);
    case "span":
      return <span className={`code-${kind}`}>{content}</span>;
    default:
      return createElement(tag, { id, start, className: align && `align-${align}` }, content);
  }
}

function Anchor({ node: { href = "", children } }: { node: PageElement }) {
  const base = useContext(Base);
  const content = <Nodes nodes={children} />;
  if (href.startsWith("page:")) return <Link href={href.replace(/^page:/, `${base}/`)}>{content}</Link>;
  if (href.startsWith("/")) return <Link href={href}>{content}</Link>;
  return (
    <a href={href} rel="noreferrer">
      {content}
    </a>
  );
}

function HeadingLink({ id }: { id: string }) {
  return (
    <a className="heading-link" href={`#${id}`} aria-label="Link to this section">
      #
    </a>
  );
}
