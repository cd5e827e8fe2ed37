/** The styles that a drawing has of the page; without the page they are its own. */
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
];

/** A drawing of the page as a file of its own, with the colours that it has now. */
export function svgFile(drawing: SVGSVGElement): Blob {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.querySelector('.guide')?.remove();
  const shown = drawing.querySelectorAll('*:not(.guide)');
  for (const [index, element] of copy.querySelectorAll('*').entries()) {
    const original = shown[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('class');
  }
  const paper = document.createElementNS(copy.namespaceURI ?? '', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
}
