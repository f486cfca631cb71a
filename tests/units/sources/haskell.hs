{-# LANGUAGE GADTs #-}
module Shapes (area, Shape (..)) where

import Data.List (sort)

-- | A shape.
data Shape
  = Circle Double
  | Square { side :: Double }
  deriving (Show, Eq)

newtype Name = Name String

type Alias = String

-- | What has an area.
class HasArea a where
  -- | The area.
  area :: a -> Double
  area _ = 0

  double :: a -> Double
  double x = area x * 2

instance HasArea Shape where
  area (Circle r) = 3 * r
  area (Square s) = s * s

instance (Show a) => HasArea (Maybe a) where
  area Nothing = 0
  area (Just _) = 1

-- | Adds two numbers.
-- Both are numbers.
add :: Int -> Int -> Int
add 0 y = y
add x y
  | x > y = go x
  | otherwise = y
  where
    go :: Int -> Int
    go 0 = 0
    go n = go (n - 1)

infixl 6 <+>
(<+>) :: Int -> Int -> Int
a <+> b = a + b

constant :: Int
constant = 42

data Expr a where
  Lit :: Int -> Expr Int

type family Elem c where
  Elem [e] = e

main :: IO ()
main = do
  let local y = y + 1
  print (local 2)
