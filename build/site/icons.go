package site

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
)

// mark is the product's sign on a grid of 20 by 20: three partitions read to different offsets.
// Colours are those of consumers A, B and C.
var mark = []struct {
	x, y, width, height int
	colour              color.RGBA
}{
	{1, 2, 11, 4, color.RGBA{0x4a, 0xa3, 0xdf, 0xff}},
	{1, 8, 18, 4, color.RGBA{0xe8, 0xa3, 0x3d, 0xff}},
	{1, 14, 7, 4, color.RGBA{0x2f, 0xb5, 0x8a, 0xff}},
}

var iconGround = color.RGBA{0x0f, 0x13, 0x18, 0xff}

func iconSVG() []byte {
	var svg strings.Builder
	svg.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">`)
	for _, bar := range mark {
		fmt.Fprintf(&svg, `<rect x="%d" y="%d" width="%d" height="%d" rx="1" fill="#%02x%02x%02x"/>`,
			bar.x, bar.y, bar.width, bar.height, bar.colour.R, bar.colour.G, bar.colour.B)
	}
	svg.WriteString("</svg>\n")
	return []byte(svg.String())
}

// iconPNG draws the mark on a square of size pixels. The mark fills three fifths of it, so that a
// system that cuts the icon to a circle (a maskable icon) cuts off nothing of the mark.
func iconPNG(size int) ([]byte, error) {
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(iconGround), image.Point{}, draw.Src)
	unit := func(grid int) int { return size/5 + grid*size*3/(5*20) }
	for _, bar := range mark {
		area := image.Rect(unit(bar.x), unit(bar.y), unit(bar.x+bar.width), unit(bar.y+bar.height))
		draw.Draw(picture, area, image.NewUniform(bar.colour), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("icon of %d pixels: %w", size, err)
	}
	return out.Bytes(), nil
}
