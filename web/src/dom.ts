/** Elements. Whatever is put into them is text, never markup. */

type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), properties, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return furnish(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], properties, children);
}

export function put(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter(isThere));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;
}

function furnish<E extends Element>(element: E, properties: Properties, children: Child[]): E {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter(isThere));
  return element;
}

function isThere(child: Child): child is Node | string {
  return child !== null && child !== undefined && child !== false;
}
