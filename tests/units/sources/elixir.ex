defmodule Shapes.Circle do
  @moduledoc """
  A circle.
  """

  use GenServer
  alias Shapes.Point

  @pi 3.14
  defstruct [:radius]

  @doc """
  The area.
  """
  @spec area(t()) :: float()
  def area(%__MODULE__{radius: radius}) do
    @pi * radius
  end

  def area(nil), do: 0

  # Compares.
  def compare(a, b) when a > b do
    Enum.map([1], fn x -> x end)
    :gt
  end

  def compare(_a, _b), do: :lt

  defp hidden do
    1
  end

  def no_arguments(), do: 2

  @doc false
  defmacro twice(expression) do
    quote do
      unquote(expression)
    end
  end

  defguard is_small(x) when x < 10

  defdelegate size(x), to: Enum

  def a + b do
    {a, b}
  end

  defmodule Inner do
    def inside, do: :ok
  end
end

defprotocol Drawable do
  @doc "Draws."
  def draw(shape)
end

defimpl Drawable, for: Shapes.Circle do
  def draw(_shape), do: :drawn
end

defmodule ShapesTest do
  test "area of nothing" do
    assert area(nil) == 0
  end
end
