/** What is under the mouse, in words. */

import { h, put } from "./dom";

export class Tip {
  readonly element = h("div", { class: "tip", role: "status", hidden: true });

  /** Show two lines beside the mouse, inside the parent. */
  show(event: PointerEvent, first: string, second: string): void {
    put(this.element, h("b", {}, first), h("span", {}, second));
    this.element.hidden = false;
    const box = this.element.parentElement!.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.min(event.clientX - box.left + 12, box.width - width - 8);
    const below = event.clientY - box.top + 16;
    this.element.style.left = `${Math.max(left, 4)}px`;
    this.element.style.top = `${below + height < box.height ? below : below - height - 28}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
